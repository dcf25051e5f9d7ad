import { domainToASCII } from 'node:url';
import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../http/field.decorators.js';
import type { OrgDomain } from './org-domain.entity.js';

export class AddOrgDomainBody {
  @TextField({
    max: 253,
    description: 'An e-mail domain of at least two labels. Letters beyond ASCII and capitals are converted.',
    example: 'acme.example',
  })
  domain: string;
}

class DomainRecordView {
  @ApiProperty({ example: '_typed-collections.acme.example' }) name: string;
  @ApiProperty({ enum: ['TXT'] }) type: 'TXT';
  @ApiProperty({ example: 'typed-collections-verification=0f3b6c1d9a7e4f528b60c2d4e6f81a3b' }) value: string;
}

/** An e-mail domain of an organization, and the DNS record that proves it. */
export class OrgDomainView {
  @ApiProperty({ example: 'acme.example' }) domain: string;
  @ApiProperty({ enum: ['pending', 'verified'] }) status: 'pending' | 'verified';
  @ApiProperty({ type: DomainRecordView }) record: DomainRecordView;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) verifiedAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The last lookup that DNS answered.',
  })
  checkedAt: string | null;

  static of(this: void, row: OrgDomain): OrgDomainView {
    const { domain, token, createdAt, verifiedAt, checkedAt } = row;
    return {
      domain,
      status: verifiedAt === null ? 'pending' : 'verified',
      record: { name: recordName(domain), type: 'TXT', value: recordValue(token) },
      createdAt: createdAt.toISOString(),
      verifiedAt: verifiedAt?.toISOString() ?? null,
      checkedAt: checkedAt?.toISOString() ?? null,
    };
  }
}

export class OrgDomainListView {
  @ApiProperty({ type: [OrgDomainView] }) results: OrgDomainView[];
  @ApiProperty() total: number;
}

const RECORD_LABEL = '_typed-collections.';
const VALUE_PREFIX = 'typed-collections-verification=';

/** RFC 1035, 2.3.4; the name of the record must fit, too. */
const MAX_LENGTH = 253 - RECORD_LABEL.length;
/** RFC 1123, 2.1, of two labels at least. The last one begins with a letter, so an IP address is not a domain. */
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
/** What would make a URL parser read another host. */
const NOT_OF_A_NAME = /[\s/?#@:%\\[\]]/;

/** The domain in lower case and ASCII, without a dot at its end; undefined when it is not one that mail could go to. */
export function normalDomain(text: string): string | undefined {
  if (NOT_OF_A_NAME.test(text)) return undefined;
  const ascii = domainToASCII(text).toLowerCase().replace(/\.$/, '');
  return ascii.length <= MAX_LENGTH && DOMAIN.test(ascii) ? ascii : undefined;
}

/** Where the record of a domain is. */
export function recordName(domain: string): string {
  return RECORD_LABEL + domain;
}

export function recordValue(token: string): string {
  return VALUE_PREFIX + token;
}

/** True for the value of such a record of any organization. */
export function isVerification(value: string): boolean {
  return value.startsWith(VALUE_PREFIX);
}
