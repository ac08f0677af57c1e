import Foundation

/// Writes the golden files of the release with which it is built. `scripts/make-golden` runs it.
///
/// The program is not a target of this package. The script copies it into a checkout of the
/// release, because only the code of the release can write the files of that release.
@main
struct GoldenMaker {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: golden-maker FOLDER")
      exit(64)
    }
    let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
    let scene = try await MakerScene(writingTo: folder)
    try await ServerDataMaker(scene).make()
    try ValueArchiveMaker(scene.folder).make()
    try ShareArchiveMaker(scene.folder).make()
    try await OperationMaker(scene).make()
    try await scene.finish()
    print("golden files are in \(folder.path)")
  }
}
