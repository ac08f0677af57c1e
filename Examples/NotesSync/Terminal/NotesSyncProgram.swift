import Foundation
import NotesSync

/// The terminal program of NotesSync.
@main struct NotesSyncProgram {
  static let usage = """
    usage: notes-sync [--folder FOLDER] [--no-push] [--every SECONDS] [--lines]
      --folder FOLDER   the folder of the notes (NAME.txt). Default: Notes. Each folder is a device.
      --no-push         do not use pushes, and only check at intervals
      --every SECONDS   the number of seconds between two checks. Default: 300
      --lines           read commands line by line, even from a terminal
    """

  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    var path = "Notes"
    var settings = Backup.Settings()
    var isInLines = isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0
    while let option = arguments.popFirst() {
      switch option {
      case "--folder":
        guard let value = arguments.popFirst() else { return fail(usage) }
        path = value
      case "--every":
        guard let seconds = arguments.popFirst().flatMap(Int.init), seconds > 0 else {
          return fail(usage)
        }
        settings.lookInterval = .seconds(seconds)
      case "--no-push": settings.hearsPushes = false
      case "--lines": isInLines = true
      default: return fail(usage)
      }
    }
    do {
      let folder = try NoteFolder(URL(fileURLWithPath: path, isDirectory: true))
      let backup = Backup(of: folder, settings: settings)
      if isInLines {
        await LineMode(backup: backup).run()
      } else {
        var screen = LiveScreen(backup: backup, folderName: folder.url.lastPathComponent)
        await screen.run()
      }
    } catch {
      fail("The folder \(path) cannot be used: \(error.localizedDescription)")
    }
  }

  private static func fail(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(1)
  }
}
