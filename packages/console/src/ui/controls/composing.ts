interface Key {
  readonly isComposing: boolean;
  readonly keyCode: number;
}

/** True for a key of an input method, such as Enter that confirms a candidate. Safari tells it by the code 229 only. */
export function isComposing({ isComposing, keyCode }: Key): boolean {
  return isComposing || keyCode === 229;
}
