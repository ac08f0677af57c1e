/// Rules about words that may occur only in some targets, or nowhere.
enum WordRules {
  private static let clockOrChance = Pattern(
    #/
      \bDate\(\)|\bDate\.now\b|\bDate\(timeIntervalSinceNow|\bUUID\(\)|\.random\(|\.randomElement\(
      |\.shuffled\(\)|\bSystemRandomNumberGenerator\b
      |\b(?:Continuous|Suspending)Clock(?:\(\))?\.now\b|\bDispatchTime\.now\b
      |\bclock_gettime\b|\bgettimeofday\b
    /#,
    needles: [
      "Date()", "Date.now", "Date(timeIntervalSinceNow", "UUID()", ".random(", ".randomElement(",
      ".shuffled()", "SystemRandomNumberGenerator", "Clock.now", "Clock().now",
      "DispatchTime.now", "clock_gettime", "gettimeofday",
    ])

  /// Only the composition roots may use clocks and random numbers, so that a run can be repeated.
  static func clocksAndChance(_ file: SourceFile) -> [Finding] {
    let roots = ["Sources/StratusServer/Live.swift", "Sources/StratusKit/Live.swift"]
    guard file.ships, !roots.contains(file.path) else { return [] }
    return file.findings(in: \.code, matching: clockOrChance) {
      "'\($0)' may occur only in StratusServer/Live.swift and StratusKit/Live.swift; add a "
        + "parameter for a clock or a random number generator"
    }
  }

  private static let print = Pattern(
    #/(?:^|[\s({])(?:debugPrint|print)\(/#, needles: ["debugPrint(", "print("])

  /// Only command-line programs may print.
  static func printing(_ file: SourceFile) -> [Finding] {
    guard file.ships, file.module != "stratus" else { return [] }
    return file.findings(in: \.code, matching: print) { _ in
      "the modules do not print; log, return or throw the text"
    }
  }

  private static let statement = Pattern(
    #/
      \b(?:SELECT\b.*\bFROM\b|INSERT\s(?:OR\s\w+\s)?INTO\b|UPDATE\s\w+\sSET\b|DELETE\sFROM\b
      |(?:CREATE|DROP|ALTER)\s(?:TABLE|UNIQUE\sINDEX|INDEX|TRIGGER|VIEW)\b|PRAGMA\s|SAVEPOINT\s)
    /#,
    needles: [
      "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "PRAGMA", "SAVEPOINT",
    ])

  /// SQL statements may occur only in the SQL modules.
  static func sql(_ file: SourceFile) -> [Finding] {
    let homes: Set = ["StratusSQL", "StratusSQLite", "StratusPostgres"]
    guard file.ships, !homes.contains(file.module) else { return [] }
    return file.findings(in: \.strings, matching: statement) {
      "'\($0)' is SQL, which belongs to StratusSQL and the dialects; extend a port instead"
    }
  }

  /// Files outside of StratusWire that read or write JSON, each with the reason.
  static let jsonExceptions: [String: String] = [
    "Sources/StratusTransport/CredentialsFile.swift": "a file, not the wire",
    "Sources/StratusTransport/Encryption/DeviceKeys.swift": "a file, not the wire",
  ]

  private static let directJSON = Pattern(
    #/
      \bJSONSerialization\b|\bJSON(?:En|De)coder\b|\.(?:member|requiredString|optionalString)\(""
    /#,
    needles: [
      "JSONSerialization", "JSONEncoder", "JSONDecoder", ".member(\"\"", ".requiredString(\"\"",
      ".optionalString(\"\"",
    ])

  /// Only StratusWire may read and write JSON directly.
  static func json(_ file: SourceFile) -> [Finding] {
    guard file.ships, file.module != "StratusWire", jsonExceptions[file.path] == nil else {
      return []
    }
    return file.findings(in: \.code, matching: directJSON) { _ in
      "only StratusWire reads and writes JSON; add a type there, or list the file with a reason "
        + "in WordRules.jsonExceptions"
    }
  }

  private static let cloudKitName = Pattern(#/\bCK[A-Z]\w+/#, needles: ["CK"])

  /// Only the modules that imitate Apple's framework may use the framework's names.
  static func cloudKitNames(_ file: SourceFile) -> [Finding] {
    // NB: archives contain the names of Apple's classes, so StratusArchive may use them.
    let homes: Set = ["StratusKit", "CloudKit", "StratusArchive"]
    guard file.ships, !homes.contains(file.module) else { return [] }
    return file.findings(in: \.code, matching: cloudKitName) {
      "'\($0)' belongs to StratusKit; the other modules use the names of StratusWire"
    }
  }

  private static let trap = Pattern(
    #/\btry!|\bas!|\bfatalError\(/#, needles: ["try!", "as!", "fatalError("])

  /// Finds expressions that end the process or hide an error. Only code that imitates apps may use
  /// them.
  static func traps(_ file: SourceFile) -> [Finding] {
    guard file.module != "ClientCodeTests" else { return [] }
    return file.findings(in: \.code, matching: trap) {
      "'\($0)' ends the process; throw, return nil, or express it in the types"
    }
  }

  private static let mark = Pattern(
    #/\b(?:TODO|FIXME|XXX|HACK)\b|^\s*MARK\b|[-=*#_]{4,}/#,
    needles: [
      "TODO", "FIXME", "XXX", "HACK", "MARK",
      // The middle of each run of four signs.
      "--", "-=", "-*", "-#", "-_", "=-", "==", "=*", "=#", "=_", "*-", "*=", "**", "*#", "*_",
      "#-", "#=", "#*", "##", "#_", "_-", "_=", "_*", "_#", "__",
    ])

  /// Finds marks of unfinished work, and banners.
  static func marks(_ file: SourceFile) -> [Finding] {
    file.findings(in: \.comments, matching: mark) {
      "'\($0.trimmed)': do the work or open an issue; split a file that needs banners"
    }
  }

  private static let codeInComment = Pattern(
    #/
      ^\s(?:\s*(?:let|var)\s\w+\s*[:=].*|\s*(?:\w+\s)?func\s\w+\(.*|\s*import\s\w+\s*
      |\s*return\s.*[()\[\]].*
      |\s*(?:if|guard|while|for|switch)\s.*\{\s*|\s*try\s.*\(.*|\s*\}\s*
      |\s*[a-z]\w*(?:\.\w+)*\(.*\)\s*)$
    /#, needles: [":", "=", "(", ")", "[", "]", "import", "{", "}"])

  /// Finds code in comments.
  static func commentedOutCode(_ file: SourceFile) -> [Finding] {
    (0..<file.comments.count).compactMap { line in
      // A comment with code begins with a space. This is not so for comments of documentation.
      guard let first = file.comments.first(of: line), first != UInt8(ascii: "/"),
        file.comments.firstMatch(of: codeInComment, in: line) != nil
      else { return nil }
      let advice = "this comment looks like code; delete it, git keeps the history"
      return Finding(path: file.path, line: line + 1, advice: advice)
    }
  }
}

extension Substring {
  /// The text without spaces at its beginning and end.
  var trimmed: String {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
