import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChangeType } from '../change-type.js';

/** `paused` by an admin; `failing` for too long, or `gone` (410): switched off by the service. */
export type WebhookStatus = 'active' | 'paused' | 'failing' | 'gone';

/** Where changes of a collection are posted to. It goes with the collection, not with who made it. */
@Entity('webhooks')
export class Webhook {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') orgId: string;
  @Column('uuid') collectionId: string;
  @Column('text') url: string;
  @Column('text', { array: true }) events: ChangeType[];
  /** Verbatim, so not jsonb, which keeps no order of keys. */
  @Column('json', { nullable: true }) filter: object | null;
  @Column('text') status: WebhookStatus;
  @Column('text') sealedSecret: string;
  /** Also signs until then, after a rotation. */
  @Column('text', { nullable: true }) sealedPreviousSecret: string | null;
  @Column('timestamptz', { nullable: true }) previousUntil: Date | null;
  /** The position up to which changes have become deliveries. */
  @Column('uuid') feed: string;
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) afterXid: number;
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) afterSeq: number;
  /** Since when every attempt has failed; null after one that did not. */
  @Column('timestamptz', { nullable: true }) failingSince: Date | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}
