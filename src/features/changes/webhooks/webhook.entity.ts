import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventType } from '../../../engine/storage/changes/changes.js';

/** `paused`: switched off by an admin. `failing` (for too long) and `gone` (410): switched off by the service. */
export type WebhookStatus = 'active' | 'paused' | 'failing' | 'gone';

/** An address to which changes of a collection are posted. It is deleted with the collection, not with its creator. */
@Entity('webhooks')
export class Webhook {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') orgId: string;
  @Column('uuid') collectionId: string;
  @Column('text') url: string;
  @Column('text', { array: true }) events: EventType[];
  /** json instead of jsonb, because jsonb does not keep the order of keys. */
  @Column('json', { nullable: true }) filter: object | null;
  @Column('text') status: WebhookStatus;
  @Column('text') sealedSecret: string;
  /** The secret before the last rotation. It also signs until `previousUntil`. */
  @Column('text', { nullable: true }) sealedPreviousSecret: string | null;
  @Column('timestamptz', { nullable: true }) previousUntil: Date | null;
  /** The position up to which changes have become deliveries. */
  @Column('uuid') feed: string;
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) afterXid: number;
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) afterSeq: number;
  /** How often a record of the collection was erased. */
  @Column('integer') erasures: number;
  /** The time since which every attempt has failed; null after a success. */
  @Column('timestamptz', { nullable: true }) failingSince: Date | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;

/**
 * A message for a webhook. It is written in the statement that advances the webhook's position, and is removed after
 * the retention time, whatever its status.
 */
@Entity('webhook_deliveries')
export class WebhookDelivery {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') webhookId: string;
  @Column('text') status: (typeof DELIVERY_STATUSES)[number];
  /** Number of changes in the message. */
  @Column('integer') changes: number;
  @Column('text') payload: string;
  @Column('integer') attempts: number;
  /** When the message is to be sent. During an attempt: when the lease ends and the message may be sent again. */
  @Column('timestamptz') dueAt: Date;
  @Column('timestamptz', { nullable: true }) attemptedAt: Date | null;
  /** Status of the last response; null when there was none. */
  @Column('integer', { nullable: true }) lastStatus: number | null;
  @Column('timestamptz') createdAt: Date;
}
