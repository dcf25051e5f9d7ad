import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Secrets } from '../config/secrets.js';
import { execute } from '../database/queryable.js';
import { openCursor, sealCursor } from './audit-cursor.js';
import { type AuditPageView, type AuditRow, auditEventView } from './audit-event.view.js';
import { type AuditConditions, collectionTrail } from './collection-trail.js';
import type { ListAuditEventsQuery } from './list-audit-events.query.js';
import { orgTrail } from './org-trail.js';

interface AuditedCollection {
  readonly id: string;
  readonly orgId: string;
}

interface AuditedOrg {
  readonly orgId: string;
  readonly orgSlug: string;
}

type OrgAuditQuery = ListAuditEventsQuery & { readonly category?: string; readonly actor?: string };

/** Reads the log, newest first. */
@Injectable()
export class AuditTrail {
  private readonly key: Buffer;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    secrets: Secrets,
  ) {
    this.key = secrets.derive('audit-cursor');
  }

  /** What happened to a collection, its records, its keys and those it is shared with. */
  async ofCollection(
    { id, orgId }: AuditedCollection,
    orgSlug: string,
    query: ListAuditEventsQuery,
  ): Promise<AuditPageView> {
    const list = JSON.stringify([id, query.action, query.since, query.until]);
    const conditions = conditionsOf(query, query.cursor && openCursor(this.key, query.cursor, list));
    const events = collectionTrail(orgId, id, conditions, query.limit + 1);
    return this.page(await execute(this.source, events), query.limit, orgSlug, list);
  }

  /** What happened in an organization and to all that it holds. */
  async ofOrg({ orgId, orgSlug }: AuditedOrg, query: OrgAuditQuery): Promise<AuditPageView> {
    const { action, category, actor, since, until } = query;
    const list = JSON.stringify([orgId, action, category, actor, since, until]);
    const conditions = conditionsOf(query, query.cursor && openCursor(this.key, query.cursor, list));
    const events = orgTrail(orgId, { ...conditions, category, actor }, query.limit + 1);
    return this.page(await execute(this.source, events), query.limit, orgSlug, list);
  }

  /** `rows` are one more than the page when there is another page. */
  private page(rows: readonly AuditRow[], limit: number, orgSlug: string, list: string): AuditPageView {
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      items: shown.map(row => auditEventView(row, orgSlug)),
      next_cursor: last === undefined ? null : sealCursor(this.key, last.id, list),
    };
  }
}

function conditionsOf(
  { action, since, until }: ListAuditEventsQuery,
  before: string | undefined,
): AuditConditions {
  return {
    type: action,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
    before: before || undefined,
  };
}
