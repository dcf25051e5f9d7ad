import { describe, expect, it } from 'vitest';
import type { AuditEventView } from '../../platform/audit/audit.dto.js';
import { toCsv, toNdjson } from './org-audit.controller.js';

const EVENT: AuditEventView = {
  id: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01',
  type: 'orgs.roles.created',
  createdAt: '2026-01-02T03:04:05.678Z',
  orgSlug: 'acme',
  actor: { type: 'user', id: 'u-1', via: 'rest' },
  target: { type: 'role', id: 'analyst', name: null },
  count: null,
  record_ids: null,
  changes: { before: null, after: { name: 'Says "a, b"' } },
  correlationId: 'order-17',
  ip: null,
};

const HEADER =
  'id,type,createdAt,orgSlug,actor.type,actor.id,actor.via,target.type,target.id,target.name,count,record_ids,changes,correlationId,ip\r\n';

describe('events as CSV', () => {
  it('begin with a header line, also without events', () => {
    expect(toCsv([])).toBe(HEADER);
  });

  it('quote only what RFC 4180 requires', () => {
    expect(toCsv([EVENT])).toBe(
      `${HEADER}${EVENT.id},orgs.roles.created,2026-01-02T03:04:05.678Z,acme,user,u-1,rest,role,analyst,,,,` +
        '"{""before"":null,""after"":{""name"":""Says \\""a, b\\""""}}",order-17,\r\n',
    );
  });

  it('put an apostrophe before a formula if they are to be safe', () => {
    const event = { ...EVENT, changes: null, target: { ...EVENT.target, name: '=1+1,"a"' } };
    expect(toCsv([event], true)).toContain(`,role,analyst,"'=1+1,""a""",`);
  });

  it.each([
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', '=1+1'],
    ['', ''],
  ])('write the name %j as %j', (name, expected) => {
    const [, row] = toCsv([{ ...EVENT, changes: null, target: { ...EVENT.target, name } }]).split(HEADER);
    expect(row).toContain(`,role,analyst,${expected},,,,order-17,\r\n`);
  });
});

describe('events as NDJSON', () => {
  it('are one object per line, exactly as in JSON', () => {
    const lines = toNdjson([EVENT, EVENT]).split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toBe('');
    expect(lines.slice(0, 2).map(line => JSON.parse(line))).toEqual([EVENT, EVENT]);
    expect(toNdjson([])).toBe('');
  });
});
