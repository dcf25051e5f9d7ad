import { Controller, Get, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { guardedText } from '../../base/kernel/formula-guard.js';
import type { Membership } from '../../base/kernel/principal.js';
import {
  AuditCheckpointListView,
  type AuditEventView,
  AuditPageView,
  ListAuditEventsQuery,
} from '../../platform/audit/audit.dto.js';
import { AuditCheckpoints } from '../../platform/audit/audit-checkpoints.service.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { FlagField, TextField } from '../../platform/http/field.decorators.js';
import { PageQuery, pageOf } from '../../platform/http/list-page.js';
import { CallerMembership, type PlatformRequest } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Query } from '../../platform/http/validated.decorators.js';

class ListOrgAuditEventsQuery extends ListAuditEventsQuery {
  @TextField({
    optional: true,
    max: 100,
    description:
      'Only events of this resource: `orgs.members` selects every event type that begins with `orgs.members.`.',
    example: 'orgs',
  })
  category?: string;

  @TextField({
    optional: true,
    max: 100,
    description: 'Only events caused by the user, API key, agent or service account with this id.',
  })
  actor?: string;

  @FlagField({
    optional: true,
    default: false,
    description: 'For CSV: true puts an apostrophe before texts that a spreadsheet would run as a formula.',
  })
  safe: boolean = false;
}

const TEXT = { schema: { type: 'string' } } as const;

@ApiTags('Organization audit')
@ApiExtraModels(AuditPageView)
@ApiParam({ name: 'orgSlug', example: 'default' })
@Controller('v2/orgs/:orgSlug/audit')
export class OrgAuditController {
  constructor(
    private readonly trail: AuditTrail,
    private readonly checkpoints: AuditCheckpoints,
  ) {}

  @Get('checkpoints')
  @Requires({ org: 'orgs:audit:read' })
  @ApiOperation({
    summary: 'List the signed checkpoints of the audit log, newest first',
    description:
      'If you store the checkpoints outside this service, you can detect any later change of the events before them.',
  })
  @ApiOkResponse({ type: AuditCheckpointListView })
  async listOrgAuditCheckpoints(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    const { orgId, orgSlug } = membership;
    return pageOf(await this.checkpoints.views({ orgId, name: orgSlug }), page);
  }

  @Get()
  @Requires({ org: 'orgs:audit:read' })
  @ApiOperation({
    summary: 'List the audit events of the organization, newest first',
    description:
      'The response is JSON, NDJSON or CSV, depending on the `Accept` header. The `Link` header with `rel="next"` has the address of the next page.',
  })
  @ApiOkResponse({
    description: 'A page of events.',
    headers: {
      Link: { description: 'Address of the next page (RFC 8288). Absent on the last page.', ...TEXT },
    },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(AuditPageView) } },
      'application/x-ndjson': TEXT,
      'text/csv': TEXT,
    },
  })
  async listOrgAuditEvents(
    @CallerMembership() membership: Membership,
    @Query() query: ListOrgAuditEventsQuery,
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const page = await this.trail.ofOrg(membership, query);
    response.vary('Accept');
    if (page.next_cursor !== null) response.links({ next: nextPage(request, page.next_cursor) });
    return inFormat(page, query.safe, request, response);
  }
}

/** The URL of the request with another cursor. */
function nextPage({ originalUrl }: PlatformRequest, cursor: string): string {
  const [path, query] = originalUrl.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `${path}?${parameters}`;
}

/** JSON is also the response to clients that accept none of the formats (RFC 9110, 12.5.1 allows it instead of 406). */
function inFormat(
  page: AuditPageView,
  safe: boolean,
  request: PlatformRequest,
  response: Response,
): AuditPageView | string {
  const format = request.accepts(...AUDIT_FORMATS);
  if (format !== 'text/csv' && format !== 'application/x-ndjson') return page;
  response.type(`${format}; charset=utf-8`);
  return format === 'text/csv' ? toCsv(page.items, safe) : toNdjson(page.items);
}

/** Media types of a page of the audit log; the first one is the default. */
const AUDIT_FORMATS = ['application/json', 'application/x-ndjson', 'text/csv'] as const;

const COLUMNS: Readonly<Record<string, (event: AuditEventView) => unknown>> = {
  id: event => event.id,
  type: event => event.type,
  createdAt: event => event.createdAt,
  orgSlug: event => event.orgSlug,
  'actor.type': event => event.actor.type,
  'actor.id': event => event.actor.id,
  'actor.via': event => event.actor.via,
  'target.type': event => event.target.type,
  'target.id': event => event.target.id,
  'target.name': event => event.target.name,
  count: event => event.count,
  record_ids: event => event.record_ids,
  changes: event => event.changes,
  correlationId: event => event.correlationId,
  ip: event => event.ip,
};

/** One JSON object per line. */
export function toNdjson(events: readonly AuditEventView[]): string {
  return events.map(event => `${JSON.stringify(event)}\n`).join('');
}

/**
 * RFC 4180 with a header line; lists and objects as JSON, null as an empty field. A text that a
 * spreadsheet would run as a formula stays as it is, unless `safe`.
 */
export function toCsv(events: readonly AuditEventView[], safe = false): string {
  const rows = events.map(event => Object.values(COLUMNS).map(column => cell(column(event), safe)));
  return [Object.keys(COLUMNS), ...rows].map(row => `${row.join(',')}\r\n`).join('');
}

function cell(value: unknown, safe: boolean): string {
  if (value === null || value === undefined) return '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = safe ? guardedText(plain) : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
