/// An upload that is opened, and writes each portion, when it is its caller's turn. While other
/// callers are active, a caller with many uploads uses as much of the server as a caller with one.
struct UploadInTurns: AssetUpload {
  private let upload: any AssetUpload
  private let turns: ExpensiveRequests
  private let caller: CallerPace.Subject

  /// Opens an upload. This creates a file, or reads the bytes of an upload that continues.
  ///
  /// - Throws: `THROTTLED` if too many steps of the caller wait, and the errors of `open`.
  init(
    turns: ExpensiveRequests, caller: CallerPace.Subject,
    open: () async throws(ServerError) -> any AssetUpload
  ) async throws(ServerError) {
    upload = try await turns.runUploadStep(as: caller, open)
    self.turns = turns
    self.caller = caller
  }

  var received: Int64 { upload.received }

  func append(_ bytes: [UInt8]) async throws(ServerError) {
    try await turns.runUploadStep(as: caller) { () async throws(ServerError) in
      try await upload.append(bytes)
    }
  }

  func finish(as file: String) async throws(ServerError) -> WholeFile {
    try await turns.runUploadStep(as: caller) { () async throws(ServerError) in
      try await upload.finish(as: file)
    }
  }

  func close() async { await upload.close() }

  func discard() async { await upload.discard() }
}
