declare module '@stephen-riley/pcre2-wasm' {
  /** A compiled pattern. Its memory is outside of JavaScript's, so it must be destroyed. */
  interface CompiledPattern {
    match(subject: string): object | null;
    destroy(): void;
  }

  export interface Pcre {
    init(): Promise<void>;
    new (pattern: string, flags?: string): CompiledPattern;
  }

  /** The class, or the CommonJS module that contains it. */
  const module: Pcre | { readonly default: Pcre };
  export default module;
}
