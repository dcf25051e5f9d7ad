import { ApiProperty } from '@nestjs/swagger';

/** Answer to a DELETE. */
export class DoneView {
  @ApiProperty({ example: true }) success: boolean;
}
