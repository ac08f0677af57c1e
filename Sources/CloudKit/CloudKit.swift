@_exported public import Foundation
@_exported public import StratusFoundation
@_exported public import StratusKit
