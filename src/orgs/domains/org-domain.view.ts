import { ApiProperty } from '@nestjs/swagger';
import { recordName, recordValue } from './domain-name.js';
import type { OrgDomain } from './org-domain.entity.js';

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
