import CloudKit

/// The note-taking app of the first CloudKit tutorials, as a terminal program.
@main
struct CloudNotes {
  static let usage = """
    usage: CloudNotes [--device FOLDER] COMMAND
      add TITLE [TEXT]    write a note
      list                fetch the changes, and list the notes with their dates
      show NOTE           show a note with its text
      edit NOTE TEXT      replace a note's text
      delete NOTE         delete a note
      share NOTE          print a URL with which other users can read and edit a note
      unshare NOTE        end the sharing of a note
      open                join a shared note; write its URL to standard input, as it is a secret
      shared              list the notes of other users, with their texts
      reply NOTE TEXT     replace the text of another user's note
    NOTE is the beginning of a note's name, as 'list' shows it. Each FOLDER is a device.
    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as CKError {
      fail(error.explanation)
    } catch let error as UsageError {
      fail(error.description)
    } catch {
      fail(
        """
        This device's notes cannot be read or written: \(error.localizedDescription) If its \
        folder is damaged, delete it: the server has every note.
        """)
    }
  }

  static func run(_ arguments: [String]) async throws {
    var arguments = arguments
    var folder = URL(fileURLWithPath: ".cloudnotes")
    if arguments.first == "--device", arguments.count > 1 {
      folder = URL(fileURLWithPath: arguments[1])
      arguments.removeFirst(2)
    }
    var notebook = Notebook(memory: try DeviceMemory(folder: folder))
    switch (arguments.first, arguments.dropFirst().map { $0 }) {
    case ("add", let words) where (1...2).contains(words.count):
      if notebook.memory.token == nil { _ = try await notebook.sync() }
      let note = try await notebook.add(title: words[0], text: words.count == 2 ? words[1] : "")
      print("added \(note.line)")
    case ("list", []):
      let count = try await notebook.sync()
      for note in notebook.list { print(note.line) }
      let notes = notebook.list.count
      print("\(notes) \(notes == 1 ? "note" : "notes"), \(count) fetched")
    case ("show", let words) where words.count == 1:
      let note = try await notebook.show(words[0])
      print("\(note.line)\n\n\(note.text)")
    case ("edit", let words) where words.count == 2:
      let (note, merged) = try await notebook.edit(words[0], text: words[1])
      print(merged ? "merged with another device's change: \(note.line)" : "edited \(note.line)")
    case ("delete", let words) where words.count == 1:
      try await notebook.delete(words[0])
      print("deleted")
    case ("share", let words) where words.count == 1:
      print(try await notebook.share(words[0]).absoluteString)
    case ("unshare", let words) where words.count == 1:
      try await notebook.unshare(words[0])
      print("not shared any more")
    case ("open", []):
      print("joined \(try await SharedNotes().join(readLine() ?? ""))")
    case ("shared", []):
      for note in try await SharedNotes().all() { print("\(note.line)\n\(note.text)") }
    case ("reply", let words) where words.count == 2:
      print("edited \(try await SharedNotes().edit(words[0], text: words[1]).line)")
    default:
      throw UsageError(usage)
    }
  }

  static func fail(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(1)
  }
}
