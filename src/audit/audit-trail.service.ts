import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Secrets } from '../config/secrets.js';
import { openCursor, sealCursor } from './audit-cursor.js';
import { type AuditPageView, type AuditRow, auditEventView } from './audit-event.view.js';
import { type AuditConditions, collectionTrail } from './collection-trail.js';
import type { ListAuditEventsQuery } from './list-audit-events.query.js';

interface AuditedCollection {
  readonly id: string;
  readonly orgId: string;
}

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
    const { text, values } = collectionTrail(orgId, id, conditions, query.limit + 1);
    const rows: AuditRow[] = await this.source.query(text, values);
    const shown = rows.slice(0, query.limit);
    const last = rows.length > query.limit ? shown.at(-1) : undefined;
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
