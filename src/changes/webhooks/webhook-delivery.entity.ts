import { Column, Entity, PrimaryColumn } from 'typeorm';

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
