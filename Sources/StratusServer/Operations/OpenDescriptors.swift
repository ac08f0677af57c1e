import Foundation

/// The descriptors that this process has open.
enum OpenDescriptors {
  /// The number of open descriptors, or nil if the system does not report it.
  ///
  /// NB: since Linux 6.2, the size of the folder `/proc/self/fd` is this number. On earlier
  /// versions the folder's files are counted, which takes longer with each open connection.
  static var count: Int? {
    let folder = "/proc/self/fd"
    var status = stat()
    if stat(folder, &status) == 0, status.st_size > 0 { return Int(status.st_size) }
    return try? FileManager.default.contentsOfDirectory(atPath: folder).count
  }
}
