/// The output of `stratus keys show --json`.
public struct KeysReport: JSONWritable {
  /// The file in which this device stores its keys.
  public var file: String
  /// The fingerprints of the keys, newest first.
  public var keys: [String]
  /// The container that the command names. nil means that the command names no container.
  public var container: String?
  /// The state of the account's key on this device: `present`, `missing` if this device lacks the
  /// key, or `unused` if the account has no encrypted values yet. nil means that the command names
  /// no container.
  public var standing: String?

  public init(
    file: String, keys: [String], container: String? = nil, standing: String? = nil
  ) {
    self.file = file
    self.keys = keys
    self.container = container
    self.standing = standing
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("file", file)
      writer.member("keys", strings: keys)
      writer.member("container", container)
      writer.member("standing", standing)
    }
  }
}
