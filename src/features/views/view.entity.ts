import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A saved view of a collection: what to show of its records. Deleted with the collection; a view of a user's own also
 * when the user leaves the organization. json instead of jsonb, because jsonb does not keep the order of keys.
 */
@Entity('collection_views')
export class SavedView {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') collectionId: string;
  /** The only principal that sees the view, as `type:id`; null for a view for all. */
  @Column('text', { nullable: true }) owner: string | null;
  @Column('text') name: string;
  @Column('json') filter: object;
  @Column('json') sort: object;
  @Column('json', { nullable: true }) fields: object | null;
  @Column('json', { nullable: true }) columns: object | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}
