/// An upload that writes each portion when it is its caller's turn. While other callers are active,
/// a caller with many uploads uses as much of the server as a caller with one.
struct UploadInTurns: AssetUpload {
  let upload: any AssetUpload
  let turns: ExpensiveRequests
  let caller: CallerPace.Subject

  var received: Int64 { upload.received }

  func append(_ bytes: [UInt8]) async throws(ServerError) {
    try await turns.runPortion(as: caller) { () async throws(ServerError) in
      try await upload.append(bytes)
    }
  }

  func finish(as file: String) async throws(ServerError) -> WholeFile {
    try await turns.runPortion(as: caller) { () async throws(ServerError) in
      try await upload.finish(as: file)
    }
  }

  func close() async { await upload.close() }

  func discard() async { await upload.discard() }
}
