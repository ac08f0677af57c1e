/// The version of Stratus, for `stratus --version` and `stratus status`.
public enum ServerVersion {
  public static let current = "0.1.0"
}
