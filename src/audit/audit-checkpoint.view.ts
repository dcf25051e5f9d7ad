import { ApiProperty } from '@nestjs/swagger';

/** What the platform has signed about the log at one time. */
export class AuditCheckpointView {
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: 'integer', description: 'How many events the chain had.' }) seq: number;
  @ApiProperty({ description: 'Hash of the last of them, hexadecimal.' }) hash: string;
  @ApiProperty({ type: 'integer', description: 'Events up to this one may be gone: their time was over.' })
  prunedSeq: number;
  @ApiProperty({ description: 'The text that is signed.' }) statement: string;
  @ApiProperty({ description: 'Its Ed25519 signature, base64url.' }) signature: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What it is verified with (RFC 8037).',
  })
  key: Record<string, unknown>;
}

export class AuditCheckpointListView {
  @ApiProperty({ type: [AuditCheckpointView] }) results: AuditCheckpointView[];
  @ApiProperty() total: number;
}
