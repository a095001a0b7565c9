/** What is wrong, by the pointer of the member: `/traits/email`. */
export type Problems = Readonly<Record<string, string>>;
