import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { platformCall } from '../../../src/base/kernel/call.js';
import { Clock } from '../../../src/base/kernel/clock.js';
import { SessionJwts } from '../../../src/features/auth/sessions/session-jwts.service.js';
import { type NewSession, Sessions } from '../../../src/features/auth/sessions/sessions.service.js';
import { Users } from '../../../src/features/identity/users.service.js';
import type { TestApp } from '../../harness/app.js';

/** A person who is signed in. */
export interface Person {
  readonly userId: string;
  readonly sessionId: string;
  readonly token: string;
}

type Wanted = Omit<NewSession, 'userId'>;

/** Creates a person with a verified e-mail address and without an organization, signed in. */
export async function person({ nest }: TestApp, wanted: Wanted = {}): Promise<Person> {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const lastSeenAt = nest.get(Clock).now();
  const user = await nest
    .get(DataSource)
    .transaction(manager => nest.get(Users).create(manager, { email, emailVerified: true, lastSeenAt }));
  return signIn({ nest }, user.id, wanted);
}

/** Opens another session of a user. */
export async function signIn(
  { nest }: Pick<TestApp, 'nest'>,
  userId: string,
  wanted: Wanted = {},
): Promise<Person> {
  const session = await nest
    .get(DataSource)
    .transaction(manager => nest.get(Sessions).open(manager, platformCall('cli'), { userId, ...wanted }));
  const { token } = await nest.get(SessionJwts).mint(session);
  return { userId, sessionId: session.id, token };
}

/** The headers of a browser that holds the JWT. */
export function cookie(token: string): { cookie: string } {
  return { cookie: `theme=dark; access-token=${token}` };
}

/** Types of the platform's audit events about one target, oldest first. */
export async function events({ sql }: TestApp, targetId: string): Promise<string[]> {
  const rows = await sql(`SELECT type FROM audit_events WHERE target->>'id' = $1 ORDER BY id`, [targetId]);
  return rows.map(row => row.type);
}

/** A clock that stands still until a test moves it, so that nothing expires because the machine is slow. */
export class StoppedClock extends Clock {
  private time = Date.now();

  now(): Date {
    return new Date(this.time);
  }

  move(seconds: number): void {
    this.time += seconds * 1000;
  }
}

/** The machine's clock plus an offset that a test sets. */
export class MovedClock extends Clock {
  private ahead = 0;

  now(): Date {
    return new Date(Date.now() + this.ahead * 1000);
  }

  move(seconds: number): void {
    this.ahead += seconds;
  }
}
