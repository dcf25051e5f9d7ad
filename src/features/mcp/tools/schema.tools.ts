import { Injectable } from '@nestjs/common';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { Admission } from '../../../platform/database/admission/admission.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { CreatedCollectionView } from '../../collections/collection-view.js';
import { CreateCollectionBody } from '../../collections/collections.dto.js';
import { Collections } from '../../collections/collections.service.js';
import { SchemaView, UpdateSchemaBody } from '../../collections/schema/schema.dto.js';
import { SchemaChanges } from '../../collections/schema/schema-changes.service.js';
import { admitWrite } from '../../identity/admitted-writes.js';
import { CollectionIdField, CollectionTool, OrgTool, type ToolInfo } from './tool.js';
import { counted, type ToolAnswer } from './tool-answer.js';

@Injectable()
export class DataCreateCollectionTool extends OrgTool<CreateCollectionBody> {
  readonly info: ToolInfo = {
    name: 'data_create_collection',
    title: 'Create a collection',
    description:
      'Creates a collection of typed records in the active organization. Columns are optional: fields that are no ' +
      'column are stored as well. Declare those that are filtered, sorted or summed.',
  };
  readonly arguments = CreateCollectionBody;
  readonly answer = CreatedCollectionView;
  readonly permission = 'collections:create';

  constructor(
    private readonly collections: Collections,
    private readonly admission: Admission,
  ) {
    super();
  }

  protected async act(call: Call, membership: Membership, body: CreateCollectionBody): Promise<ToolAnswer> {
    const place = await admitWrite(this.admission, membership.orgId, call.rights);
    try {
      const data = await this.collections.create(call, membership, body);
      return { summary: 'The collection was created.', data };
    } finally {
      this.admission.platform.leave(place);
    }
  }
}

class UpdateSchemaArguments extends UpdateSchemaBody {
  @CollectionIdField()
  collection_id: string;
}

/** Needs no dry_run_token: a change that would lose a value is refused, so every change can be reverted. */
@Injectable()
export class DataUpdateSchemaTool extends CollectionTool<UpdateSchemaArguments> {
  readonly info: ToolInfo = {
    name: 'data_update_schema',
    title: 'Change the columns',
    description:
      'Adds columns to a collection, changes their types or whether they may be null; columns that are not named stay. ' +
      'A new column takes over the values stored under its name. A change that a stored value does not fit is refused, ' +
      'and names the first of them. Call with dry_run: true first: it tells what would change, and does nothing.',
    idempotent: true,
  };
  readonly arguments = UpdateSchemaArguments;
  readonly answer = SchemaView;
  readonly right = 'manage';
  readonly versionCheck = false;

  constructor(
    accesses: CollectionAccess,
    private readonly schemas: SchemaChanges,
  ) {
    super(accesses);
  }

  protected async act(call: Call, access: Access, args: UpdateSchemaArguments): Promise<ToolAnswer> {
    const data = await this.schemas.apply(call, access, args);
    return { summary: summaryOf(data), data };
  }
}

function summaryOf({ changes, status }: SchemaView): string {
  if (changes !== undefined) return `${counted(changes.length, 'column')} would change. Nothing was changed.`;
  if (status === 'building') {
    return 'The collection is large: the change is still running. It takes effect in one step; read the collection to see its state.';
  }
  return 'The columns were changed as requested.';
}
