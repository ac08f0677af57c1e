import Foundation

/// A terminal on which a progress line is drawn.
public struct ProgressTerminal: Sendable {
  /// Returns the width of the terminal in columns.
  public var columns: @Sendable () -> Int
  /// Writes text unchanged, including its control characters.
  public var write: @Sendable (String) -> Void

  public init(
    columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void
  ) {
    self.columns = columns
    self.write = write
  }

  /// The environment variable that contains the path of a terminal, for programs whose standard
  /// error is a pipe, such as tests.
  public static let variable = "STRATUS_TERMINAL"

  /// Standard error, if it is a terminal that can overwrite a line. Otherwise the terminal that
  /// ``variable`` names, or nil if there is none. The value is nil if `TERM` is `dumb`.
  public static var standardError: ProgressTerminal? {
    let variables = ProcessInfo.processInfo.environment
    if variables["TERM"] == "dumb" { return nil }
    if let terminal = ProgressTerminal(FileHandle.standardError) { return terminal }
    return variables[variable].flatMap { FileHandle(forWritingAtPath: $0) }
      .flatMap { ProgressTerminal($0) }
  }

  /// Returns nil if the file is not a terminal.
  init?(_ handle: FileHandle) {
    guard isatty(handle.fileDescriptor) == 1 else { return nil }
    columns = { Self.width(of: handle.fileDescriptor) }
    write = { handle.write(Data($0.utf8)) }
  }

  private static func width(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
