import { Injectable } from '@nestjs/common';
import { CreateCollectionBody, CreatedCollectionView } from '../../collections/collections.dto.js';
import { Collections } from '../../collections/collections.service.js';
import { Admission } from '../../database/admission.js';
import { admitWrite } from '../../identity/admitted-writes.js';
import type { Call } from '../../kernel/call.js';
import type { Membership } from '../../kernel/principal.js';
import { OrgTool, type ToolFace } from '../tool.js';
import type { ToolAnswer } from '../tool-answer.js';

@Injectable()
export class DataCreateCollectionTool extends OrgTool<CreateCollectionBody> {
  readonly face: ToolFace = {
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
