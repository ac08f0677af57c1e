import Foundation

/// The descriptors that this process has open.
enum OpenDescriptors {
  /// The number of open descriptors, or nil if the system does not report it.
  ///
  /// NB: since Linux 6.2, the size of the folder is this number. Earlier versions only have the
  /// list, and reading the list takes time for each connection.
  static var count: Int? {
    let folder = "/proc/self/fd"
    var status = stat()
    if stat(folder, &status) == 0, status.st_size > 0 { return Int(status.st_size) }
    return try? FileManager.default.contentsOfDirectory(atPath: folder).count
  }
}
