import { domainToASCII } from 'node:url';
import { ApiProperty } from '@nestjs/swagger';
import { PUBLIC_DOMAIN } from '../../../base/kernel/names.js';
import { TextField } from '../../../platform/http/field.decorators.js';
import type { OrgDomain } from './org-domain.entity.js';

export class AddOrgDomainBody {
  @TextField({
    max: 253,
    description:
      'E-mail domain of at least two labels, for example `example.com`. Capitals are made lower case; other letters than ASCII are converted to Punycode.',
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
    description: 'Time of the last DNS lookup that got an answer.',
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

/** The limit of RFC 1035, 2.3.4, less the label that the record's name adds. */
const MAX_LENGTH = 253 - RECORD_LABEL.length;
/** Characters with which a URL parser would read another host. */
const NOT_IN_A_NAME = /[\s/?#@:%\\[\]]/;

/** The domain in lower case and ASCII, without a final dot; undefined for text that is not an e-mail domain. */
export function normalDomain(text: string): string | undefined {
  if (NOT_IN_A_NAME.test(text)) return undefined;
  const ascii = domainToASCII(text).toLowerCase().replace(/\.$/, '');
  return ascii.length <= MAX_LENGTH && PUBLIC_DOMAIN.test(ascii) ? ascii : undefined;
}

/** The DNS name of the TXT record that proves a domain. */
export function recordName(domain: string): string {
  return RECORD_LABEL + domain;
}

export function recordValue(token: string): string {
  return VALUE_PREFIX + token;
}

/** True for the value of a verification record of any organization. */
export function isVerification(value: string): boolean {
  return value.startsWith(VALUE_PREFIX);
}
