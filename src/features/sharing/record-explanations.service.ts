import { Injectable } from '@nestjs/common';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { isUuid, newId } from '../../base/kernel/id.js';
import { isJsonObject } from '../../base/kernel/json.js';
import { authorOf, type Principal } from '../../base/kernel/principal.js';
import type { ExplainedAction } from '../../engine/rules/explained-rule.js';
import { wholeOf } from '../../engine/storage/collection-shape.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { layoutOf, type Misfit } from '../../engine/storage/records/record-layout.js';
import { type ExplainedRecord, explainedStatement } from '../../engine/storage/restricted/explained.js';
import type { BoundCollection } from '../collections/collection.entity.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { hasRight } from '../collections/collection-rights.js';
import { ViewedAccess } from '../collections/viewed-access.service.js';
import { VIEWED_TYPES, ViewedPrincipals } from '../collections/viewed-principals.service.js';
import { ExplainedGrants } from './explained-grants.js';
import type { RecordExplanationView } from './record-explanation.dto.js';

/** What a request asks about. */
interface Asked {
  readonly principal_type?: string | undefined;
  readonly principal_id?: string | undefined;
  readonly action: ExplainedAction;
  /** Of the record, unless the action is `create`. */
  readonly id?: string | undefined;
  /** The record, if the action is `create`. */
  readonly record?: unknown;
}

const NOTHING: RecordExplanationView = { allowed: false, grants: [] };

/** Explains by which grants a principal may do something with a record. Source: rules contract, "Why". */
@Injectable()
export class RecordExplanations {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
    private readonly principals: ViewedPrincipals,
    private readonly viewed: ViewedAccess,
    private readonly clock: Clock,
  ) {}

  /** Throws 403 for a caller who asks about another principal and may not share the collection, and 404 for the record. */
  async explain(call: Call, access: Access, asked: Asked): Promise<RecordExplanationView> {
    const isOwn = isAbout(access.principal, asked);
    const shared = isOwn ? access : await this.viewed.toShare(call, access);
    const subject = isOwn ? access.principal : await this.named(shared, asked);
    return this.accesses.withVersionCheck(access, async (current, until) => {
      const collection = wholeOf(current.collection) as BoundCollection;
      const { record, names } = recordOf(collection, asked, subject);
      const grants = subject && ExplainedGrants.of(subject, collection, asked.action, this.clock.now());
      const statement = explainedStatement(collection, record, grants?.rules ?? []);
      const held = await this.store.read(collection, statement, until);
      if (held === undefined) throw recordNotFound();
      if (grants === undefined) return NOTHING;
      const found = grants.decided(held, names);
      if (!isOwn || hasRight(access, 'share')) return found.view();
      if (!found.sees && asked.action !== 'create') throw recordNotFound();
      return found.ownView();
    });
  }

  /** Undefined when the organization has no such principal, who then is not allowed anything. */
  private named(
    { membership }: Access,
    { principal_type: type, principal_id: id = '' }: Asked,
  ): Promise<Principal | undefined> {
    const known = VIEWED_TYPES.find(each => each === type);
    if (known === undefined)
      throw invalid(`principal_type: a record can be explained for one of ${VIEWED_TYPES.join(', ')}`);
    if (known !== 'anonymous' && !isUuid(id)) throw invalid(`principal_id: expects the id of the ${known}`);
    return this.principals.find(membership, { type: known, id: id.toLowerCase() });
  }
}

function isAbout(
  { type, id, credentialId }: Principal,
  { principal_type: named, principal_id: namedId }: Asked,
): boolean {
  if (named === undefined && namedId === undefined) return true;
  if (named === 'key') return namedId?.toLowerCase() === credentialId;
  return named === type && namedId?.toLowerCase() === id;
}

/** The record of the request, and the fields that it sends. Throws 400 for one that cannot be inserted. */
function recordOf(
  collection: BoundCollection,
  { action, id, record }: Asked,
  subject: Principal | undefined,
): { record: ExplainedRecord; names: readonly string[] } {
  if (action !== 'create') {
    if (id === undefined) throw invalid('record_id: name the record that the action is about');
    if (!isUuid(id)) throw recordNotFound();
    return { record: { id: id.toLowerCase() }, names: [] };
  }
  const [layout, misfits]: [ReturnType<typeof layoutOf>, Misfit[]] = [layoutOf(collection), []];
  const row = layout.row(record, 0, misfits, 'record');
  const [misfit] = misfits;
  if (misfit !== undefined) throw invalid(`record: ${misfit.column}: ${misfit.problem}`);
  const names = isJsonObject(record) ? Object.keys(record).filter(name => !layout.ignored.has(name)) : [];
  const author = subject === undefined ? null : authorOf(subject);
  return { record: { row: { ...row, _id: newId() }, author }, names };
}

/** The same error for an absent record and one that the caller does not see. */
function recordNotFound(): PlatformError {
  return new PlatformError('RecordNotFound', 'There is no record with this id.');
}
