/// Makes sure that only one installation removes files from an asset store.
///
/// Each installation removes the files that its register does not know. If two installations used
/// the same files, each would remove the files of the other.
public struct AssetOwner: Sendable {
  public let installationID: String
  private let mark: any AssetOwnerMark

  public init(_ mark: any AssetOwnerMark, installationID: String) {
    self.mark = mark
    self.installationID = installationID
  }

  /// The place of the files, for the operator.
  public var place: String { mark.place }

  /// Returns the ID of the present owner, or nil if there is none.
  public func ownerID() async throws(ServerError) -> String? { try await mark.ownerID() }

  /// Makes this installation the owner if the files have no owner yet.
  ///
  /// - Throws: `INTERNAL_ERROR` if they belong to another installation, and the storage's errors.
  public func claim() async throws(ServerError) {
    if let owner = try await mark.ownerID() { return try check(owner) }
    try await mark.write(installationID, replaces: false)
    try await require()
  }

  /// Makes this installation the owner, whether or not there is another one. The other one then
  /// removes no files any more, and does not start again.
  ///
  /// - Throws: the storage's errors.
  public func take() async throws(ServerError) {
    try await mark.write(installationID, replaces: true)
    try await require()
  }

  /// Makes sure that this installation is still the owner.
  ///
  /// - Throws: `INTERNAL_ERROR` if it is not, and the storage's errors.
  public func require() async throws(ServerError) { try check(try await mark.ownerID()) }

  private func check(_ owner: String?) throws(ServerError) {
    if owner == installationID { return }
    var facts = ["installation": installationID, "place": mark.place]
    guard let owner else {
      var error = ServerError.fault("the mark with the owner of the files is missing", facts: facts)
      error.hint = "start the server again, so that it writes the mark"
      throw error
    }
    facts["owner"] = owner
    var error = ServerError.fault("the files belong to another installation", facts: facts)
    error.hint = """
      give each installation a place of its own; if this one replaces the other one, run 'stratus \
      assets claim --yes'
      """
    throw error
  }
}
