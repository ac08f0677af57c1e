/// The version of this program. It is stated only here; commands, packages and pages use it.
public enum ServerVersion {
  public static let current = "0.1.0"
}
