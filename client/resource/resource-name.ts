/** How a resource is named in sentences and headings. */
export interface ResourceName {
  /** In a sentence: "identity". */
  one: string;
  many: string;
  /** Title of a page or column: "Identity". */
  title: string;
  /** Title of the list's page, and of links back to it: "Identities". */
  listTitle: string;
  /** The service that stores it: "The identity service". */
  service: string;
}
