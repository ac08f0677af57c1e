/// Keeps the bytes of files: whole ones, each under a name that is given once, and uploads that are
/// still coming.
///
/// Knows nothing of records: how long a file is kept, the register decides.
public protocol AssetStore: Sendable {
  /// Opens an upload to add to it, and takes it from whoever has it open.
  ///
  /// - Parameter fromNothing: forgets the bytes it has.
  /// - Throws: `INTERNAL_ERROR` if the bytes cannot be read or made room for.
  func open(
    upload id: String, at address: StoreAddress, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload

  /// What is known of an upload; one that nobody began has no bytes and no note.
  func status(
    ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) -> AssetUploadStatus

  /// Keeps a few bytes beside an upload, in place of those kept before; they outlast its end.
  func note(
    _ bytes: [UInt8], ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError)

  /// Removes uploads and notes that nobody has added to since a time, and that nobody has open.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func discardUploads(
    at address: StoreAddress, untouchedSince time: Int64
  ) async throws(ServerError)

  /// Opens a whole file; nil if there is none of that name.
  func open(
    file: String, at address: StoreAddress
  ) async throws(ServerError) -> (any AssetFile)?

  /// Removes a whole file; one that is not there is no error.
  func remove(file: String, at address: StoreAddress) async throws(ServerError)

  /// Whole files in order of their names' bytes.
  ///
  /// - Parameter name: only files behind this name; nil: from the first.
  func files(
    at address: StoreAddress, after name: String?, limit: Int
  ) async throws(ServerError) -> [AssetFileEntry]
}

/// An upload that is open.
///
/// Its calls follow one another. Once another has opened the same upload, they throw `CONFLICT`.
public protocol AssetUpload: Sendable {
  /// Bytes it has.
  var received: Int64 { get }

  /// Adds bytes behind those it has.
  func append(_ bytes: [UInt8]) async throws(ServerError)

  /// Makes it a whole file; when the method returns, the file is on disk under its name.
  ///
  /// - Parameter file: a name never given before.
  func finish(as file: String) async throws(ServerError) -> WholeFile

  /// Ends the adding for now; what it has stays.
  func close() async

  /// Removes what it has.
  func discard() async
}

/// What an upload came to.
public struct WholeFile: Sendable, Hashable {
  /// SHA-256 of the contents.
  public var checksum: [UInt8]
  /// Bytes.
  public var size: Int64

  public init(checksum: [UInt8], size: Int64) {
    self.checksum = checksum
    self.size = size
  }
}

/// How far an upload is.
public struct AssetUploadStatus: Sendable, Hashable {
  /// Bytes it has.
  public var received: Int64
  /// When something was last added; milliseconds since 1970 UTC; nil: never.
  public var touched: Int64?
  /// What was kept beside it; nil: nothing.
  public var note: [UInt8]?

  public init(received: Int64, touched: Int64? = nil, note: [UInt8]? = nil) {
    self.received = received
    self.touched = touched
    self.note = note
  }
}

/// A whole file, open for reading as long as somebody holds it.
public protocol AssetFile: Sendable {
  /// Bytes.
  var size: Int64 { get }

  /// Some of the bytes; fewer than asked for only at the end.
  func read(at offset: Int64, count: Int) async throws(ServerError) -> [UInt8]
}

/// A whole file in a list.
public struct AssetFileEntry: Sendable, Hashable {
  public var name: String
  /// When it became whole; milliseconds since 1970 UTC.
  public var finished: Int64

  public init(name: String, finished: Int64) {
    self.name = name
    self.finished = finished
  }
}
