/// The version of this program. Commands, packages and pages read it from here.
public enum ServerVersion {
  public static let current = "0.1.0"
}
