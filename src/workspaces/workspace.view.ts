import { ApiProperty } from '@nestjs/swagger';
import type { WorkspaceRow } from './workspace-rows.js';

export class WorkspaceView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'Support' }) name: string;
  @ApiProperty({ example: 'support' }) slug: string;
  @ApiProperty({ type: String, nullable: true, example: 'Answers customers.' }) description: string | null;
  @ApiProperty({ example: 'default' }) orgSlug: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  static of(this: void, workspace: Omit<WorkspaceRow, 'role'>): WorkspaceView {
    const { id, name, slug, description, orgSlug, createdAt, updatedAt } = workspace;
    const moments = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
    return { id, name, slug, description, orgSlug, ...moments };
  }
}
