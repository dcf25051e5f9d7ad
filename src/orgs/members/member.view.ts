import { ApiProperty } from '@nestjs/swagger';
import { InviteView } from '../invites/invite.view.js';

export class MemberView {
  @ApiProperty({ format: 'uuid' }) userId: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) firstName: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lovelace' }) lastName: string | null;
  @ApiProperty({ enum: ['active', 'disabled'] }) status: string;
  @ApiProperty({ example: 'member' }) roleSlug: string;
  @ApiProperty({ type: [String] }) groups: string[];
  @ApiProperty({ format: 'date-time' }) joinedAt: Date;
}

export class MemberListView {
  @ApiProperty({ type: [MemberView] }) results: MemberView[];
  @ApiProperty() total: number;
}

/** `results` is empty: whether somebody has an account here is not told. */
export class AddedMembersView extends MemberListView {
  @ApiProperty({
    type: [InviteView],
    description: 'One for each person; nobody is a member before they accept.',
  })
  invitations: InviteView[];
}
