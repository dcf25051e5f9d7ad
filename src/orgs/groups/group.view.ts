import { ApiProperty } from '@nestjs/swagger';

export class GroupView {
  @ApiProperty({ example: 'editors' }) slug: string;
  @ApiProperty({ example: 'Editors' }) name: string;
  @ApiProperty({ type: 'integer', description: 'How many members it has.' }) memberCount: number;
  @ApiProperty({ format: 'date-time' }) createdAt: Date;
}

export class GroupListView {
  @ApiProperty({ type: [GroupView] }) results: GroupView[];
  @ApiProperty() total: number;
}

export class GroupMemberView {
  @ApiProperty({ format: 'uuid' }) userId: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) firstName: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lovelace' }) lastName: string | null;
}

export class GroupMemberListView {
  @ApiProperty({ type: [GroupMemberView] }) results: GroupMemberView[];
  @ApiProperty() total: number;
}
