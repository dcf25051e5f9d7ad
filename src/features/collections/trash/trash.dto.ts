import { ApiProperty } from '@nestjs/swagger';
import { FlagField, TextField } from '../../../platform/http/field.decorators.js';
import type { CallerRole } from '../collection-rights.js';
import { CollectionView, collectionView } from '../collection-view.js';
import { COLLECTION_NAME } from '../collections.dto.js';

export class DeleteCollectionQuery {
  @FlagField({
    optional: true,
    default: false,
    description:
      'true: deletes the collection for good, at once. Then the path may also have the id of a collection in the trash.',
  })
  permanent: boolean = false;
}

export class DeletedCollectionView {
  @ApiProperty({ example: true }) deleted: true;
  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'Until when the collection can be restored. Absent when it was deleted for good.',
  })
  restorable_until?: string;
}

/** A collection in the trash. */
export class TrashedCollectionView extends CollectionView {
  @ApiProperty({ format: 'date-time', description: 'When the collection was deleted.' }) deleted_at: string;
  @ApiProperty({
    format: 'date-time',
    description: 'Until when it can be restored. Afterwards it is removed for good.',
  })
  restorable_until: string;
}

export class TrashListView {
  @ApiProperty({ type: [TrashedCollectionView] }) items: TrashedCollectionView[];
  @ApiProperty({ type: 'integer' }) total: number;
  @ApiProperty({ type: 'integer' }) page: number;
  @ApiProperty({ type: 'integer' }) limit: number;
}

export class RestoreCollectionBody {
  @TextField({
    ...COLLECTION_NAME,
    optional: true,
    description: 'Name of the restored collection, if its former name is in use. Default: its former name.',
    example: 'customers-restored',
  })
  name?: string;
}

export function trashedView(
  caller: CallerRole,
  deletedAt: Date,
  restorableUntil: Date,
): TrashedCollectionView {
  return {
    ...collectionView(caller),
    deleted_at: deletedAt.toISOString(),
    restorable_until: restorableUntil.toISOString(),
  };
}
