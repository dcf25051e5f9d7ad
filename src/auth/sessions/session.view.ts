import { ApiProperty } from '@nestjs/swagger';
import type { Session } from './session.entity.js';

export class SessionView {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ description: 'True for the session that made this call.' })
  current: boolean;

  @ApiProperty({ description: 'The application it was opened for; `platform` is the platform itself.' })
  clientId: string;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7' })
  ip: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Mozilla/5.0 (X11; Linux x86_64)' })
  userAgent: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time', description: 'To the minute.' })
  lastUsedAt: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

export class SessionListView {
  @ApiProperty({ type: [SessionView] })
  results: SessionView[];

  @ApiProperty({ example: 1 })
  total: number;
}

export function sessionView(session: Session, currentId: string | undefined): SessionView {
  return {
    id: session.id,
    current: session.id === currentId,
    clientId: session.clientId,
    ip: session.ip,
    userAgent: session.userAgent,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}
