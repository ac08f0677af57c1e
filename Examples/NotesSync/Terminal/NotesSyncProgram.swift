import Foundation
import NotesSync

/// NotesSync in a terminal.
@main struct NotesSyncProgram {
  static let usage = """
    usage: notes-sync [--folder FOLDER] [--no-push] [--every SECONDS] [--lines]
      --folder FOLDER   where the notes lie, NAME.txt each; Notes by default. Each is a device.
      --no-push         do without pushes: look now and then only
      --every SECONDS   how often that is; 300 by default
      --lines           read commands line by line, also where there is a terminal
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
