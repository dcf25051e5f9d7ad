import { ApiProperty } from '@nestjs/swagger';

class TargetView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
}

export class CollaboratorView {
  @ApiProperty({ type: TargetView }) target: TargetView;
  @ApiProperty({ example: 'editor' }) role: string;
  @ApiProperty({ format: 'date-time' }) createdAt: Date;
}

export class CollaboratorListView {
  @ApiProperty({ type: [CollaboratorView] }) results: CollaboratorView[];
  @ApiProperty() total: number;
}
