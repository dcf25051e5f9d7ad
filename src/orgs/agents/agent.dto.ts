import { ApiProperty } from '@nestjs/swagger';
import type { Agent } from '../../identity/identity.entity.js';
import { NameField, SlugField } from '../right.fields.js';

export class CreateAgentBody {
  @SlugField({ description: 'Unique in the organization.', example: 'importer' })
  slug: string;

  @NameField({ example: 'Importer' })
  name: string;
}

export class UpdateAgentBody {
  @NameField({ optional: true, example: 'Night importer' })
  name?: string;
}

export class AgentView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'importer' }) slug: string;
  @ApiProperty({ example: 'Importer' }) name: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  static of(this: void, { id, slug, name, createdAt, updatedAt }: Agent): AgentView {
    return { id, slug, name, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  }
}

export class AgentListView {
  @ApiProperty({ type: [AgentView] }) results: AgentView[];
  @ApiProperty() total: number;
}
