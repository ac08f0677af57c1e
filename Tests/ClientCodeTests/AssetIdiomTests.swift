import CloudKit
import Testing

/// Asset code in the form that apps use.
@Suite struct AssetIdioms {
  /// A file that does not exist.
  private let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("stratus-\(UUID().uuidString)").appendingPathComponent("photo.jpg")

  @Test func `an asset can be created from a file and read with a cast`() {
    let record = CKRecord(recordType: "Photo")
    record["image"] = CKAsset(fileURL: url)
    if let asset = record["image"] as? CKAsset, let fileURL = asset.fileURL {
      #expect(fileURL == url)
    } else {
      Issue.record("no asset")
    }
    let optional: URL? = (record["image"] as? CKAsset)?.fileURL
    #expect(optional?.lastPathComponent == "photo.jpg")
    let data = (record["image"] as? CKAsset)?.fileURL.flatMap { try? Data(contentsOf: $0) }
    #expect(data == nil)
  }

  @Test func `an asset can be set in all usual ways`() {
    let record = CKRecord(recordType: "Photo")
    let asset = CKAsset(fileURL: url)
    record.setObject(asset, forKey: "a")
    record.setValue(asset, forKey: "b")
    record["c"] = asset as CKRecordValue
    record["d"] = asset as CKRecordValueProtocol
    record.setObject(asset as CKRecordValue, forKey: "e")
    for key in ["a", "b", "c", "d", "e"] { #expect(record[key] as? CKAsset === asset) }
    #expect(record.object(forKey: "a") as? CKAsset === asset)
    #expect(record.value(forKey: "a") as? CKAsset === asset)
    let typed: CKAsset? = record["a"]
    #expect(typed === asset)
  }

  @Test func `assets can be elements of a list`() {
    let record = CKRecord(recordType: "Album")
    record["images"] = [url, url].map(CKAsset.init(fileURL:))
    record["more"] = [CKAsset(fileURL: url)] as CKRecordValue
    let images = record["images"] as? [CKAsset] ?? []
    #expect(images.compactMap(\.fileURL) == [url, url])
    #expect((record["more"] as? [CKAsset])?.count == 1)
    record["images"] = nil
    #expect(record.allKeys() == ["more"])
  }

  @Test func `the value of a field can be identified by its class`() {
    let record = CKRecord(recordType: "Photo")
    record["image"] = CKAsset(fileURL: url)
    record["title"] = "x"
    var names: [String] = []
    for key in record.allKeys() {
      switch record[key] {
      case is CKAsset: names.append("asset \(key)")
      case let text as String: names.append("text \(text)")
      default: names.append("other")
      }
    }
    #expect(names.sorted() == ["asset image", "text x"])
  }

  @Test func `asset errors can be matched by their codes`() {
    func advice(_ error: any Error) -> String {
      guard let error = error as? CKError else { return "unknown" }
      switch error.code {
      case .assetFileNotFound, .assetFileModified: return "choose again"
      case .assetNotAvailable: return "later"
      default: return "unknown"
      }
    }
    #expect(advice(CKError(.assetFileNotFound)) == "choose again")
    #expect(advice(CKError(.assetNotAvailable)) == "later")
  }
}
