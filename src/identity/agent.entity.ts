import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A program that owns collections in one organization. Dies by hand or with its organization. */
@Entity('agents')
export class Agent {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique in the organization. */
  @Column('text')
  slug: string;

  @Column('text')
  name: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
