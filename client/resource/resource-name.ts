/** What a resource is called in sentences and headings. */
export interface ResourceName {
  /** In a sentence: "identity". */
  one: string;
  many: string;
  /** At the head of a page or a column: "Identity". */
  title: string;
  /** The list's page, at the head of its table and on the way back to it: "Identities". */
  listTitle: string;
  /** Which service has them: "The identity service". */
  service: string;
}
