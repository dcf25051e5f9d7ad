import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChangeType } from '../change-reader.service.js';

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

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;

/** A message for a webhook: written with the webhook's position, kept until its time is over whatever becomes of it. */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') webhookId: string;
  @Column('text') status: (typeof DELIVERY_STATUSES)[number];
  /** How many changes it tells of. */
  @Column('integer') changes: number;
  @Column('text') payload: string;
  @Column('integer') attempts: number;
  /** When it is to be sent; while it is being sent, when that is given up for lost. */
  @Column('timestamptz') dueAt: Date;
  @Column('timestamptz', { nullable: true }) attemptedAt: Date | null;
  /** Status of the last answer; null when there was none. */
  @Column('integer', { nullable: true }) lastStatus: number | null;
  @Column('timestamptz') createdAt: Date;
}
