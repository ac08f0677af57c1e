import Foundation
import QueryChecks

/// The query test as a program for `scripts/soak`. It needs no test runner and runs in a release
/// build.
@main
struct QuerySoak {
  static func main() async {
    let variables = ProcessInfo.processInfo.environment
    let failures = await QueryCheck(variables: variables, dataSets: 20).run()
    for failure in failures { print(failure) }
    exit(failures.isEmpty ? 0 : 1)
  }
}
