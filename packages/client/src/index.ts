export { ChangeFeed, type ChangesOptions } from './changes/change-feed.js';
export { Client, type ClientOptions, createClient } from './client.js';
export * from './errors/classes.js';
export type { ErrorCode } from './errors/error-of.js';
export { PartialWriteError } from './errors/partial-write-error.js';
export { NetworkError, TcError } from './errors/tc-error.js';
export type { BulkOptions, BulkProgress, BulkResult } from './records/bulk.js';
export { Collection } from './records/collection.js';
export type * from './records/history.js';
export type {
  CallOptions,
  DryRunOptions,
  ExplainOptions,
  GuardedOptions,
  ManyOptions,
  ReadOptions,
  UndoOptions,
  UndoSelection,
  WriteOptions,
} from './records/options.js';
export { type FindOptions, type Page, type PageOptions, Query, type SortValue } from './records/query.js';
export type * from './records/results.js';
export { type EmailSignIn, type EmailSignInOptions, signInByEmail } from './sign-in.js';
export { Export, type ExportOptions, type ExportProgress } from './transfer/export.js';
export { headerColumns } from './transfer/header-columns.js';
export type {
  ImportOptions,
  ImportProblem,
  ImportProgress,
  ImportSummary,
  RefusedRow,
} from './transfer/import.js';
export type { ImportSource } from './transfer/source.js';
export { newKey as newIdempotencyKey } from './transport/http-transport.js';
export type * from './transport/transport.js';
export type * from './types/index.js';
export { VERSION } from './version.js';
