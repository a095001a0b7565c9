/** Problems by JSON pointer: `/traits/email`. */
export type Problems = Readonly<Record<string, string>>;
