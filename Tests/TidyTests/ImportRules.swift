/// Rules about what a file imports.
enum ImportRules {
  private static let statement = Pattern(
    #/
      ^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?
      import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)
    /#, needles: ["import"])

  /// The modules that a file imports, each with its line.
  static func imports(of file: SourceFile) -> [(module: String, line: Int)] {
    file.code.matches(of: statement).map { (String($0.output.1), $0.line + 1) }
  }

  /// Finds imports that the file's target may not use.
  static func allowedImports(_ file: SourceFile) -> [Finding] {
    guard file.path != "Package.swift" else { return [] }
    return imports(of: file).compactMap { module, line in
      let allowed = mayImport(module, in: file)
      let advice =
        "\(file.module) may not import \(module); move the code into a module that may, "
        + "and connect the two in StratusServer (see Tests/TidyTests/Modules.swift)"
      return allowed ? nil : Finding(path: file.path, line: line, advice: advice)
    }
  }

  /// Finds public imports of modules whose types the public interface of the target may not show.
  static func shown(_ file: SourceFile) -> [Finding] {
    guard file.area == "Sources", let allowed = Modules.shown[file.module] else { return [] }
    return imports(of: file).compactMap { module, line in
      guard file.code.line(line - 1, contains: ["public "]), !allowed.contains(module) else {
        return nil
      }
      let advice =
        "\(file.module) shows \(module) to apps; import it for the package alone, and make what "
        + "needs it `package`"
      return Finding(path: file.path, line: line, advice: advice)
    }
  }

  /// Finds files that do not belong to a known target.
  static func knownModule(_ file: SourceFile) -> [Finding] {
    guard file.area == "Sources", Modules.all[file.module] == nil else { return [] }
    let advice = "no such module; move the file, or add the module to Tests/TidyTests/Modules.swift"
    return [Finding(path: file.path, line: nil, advice: advice)]
  }

  private static func mayImport(_ module: String, in file: SourceFile) -> Bool {
    switch file.area {
    // An example's library has the name of its folder.
    case "Examples": return Modules.example.contains(module) || module == file.module
    case "Benches", "Simulation": return true
    case "Tests": return testMayImport(module, target: file.module)
    case _:
      guard let target = Modules.all[file.module] else { return true }
      if Modules.toolchain.contains(module) {
        return module == "Synchronization" || !Modules.austere.contains(file.module)
      }
      return target.ours.contains(module) || target.others.contains(module)
    }
  }

  private static func testMayImport(_ module: String, target: String) -> Bool {
    if Modules.tests.contains(module) { return true }
    if target == "TidyTests" { return false }
    if target == "S3Server" { return Modules.testServer.contains(module) }
    if target == "StoreTestSupport", Modules.storeSupport.contains(module) { return true }
    if Modules.all[module] != nil, !Modules.libraries.contains(module) { return true }
    let tested = target.hasSuffix("Tests") ? String(target.dropLast(5)) : target
    return module == tested || Modules.all[tested]?.others.contains(module) ?? false
  }
}
