/// The version of this program. It is stated only here; packages and pages take it from here.
public enum ServerVersion {
  public static let current = "0.1.0"
}
