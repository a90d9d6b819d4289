/** The address of a case. */
export const caseAddress = (id: number) => `/fraud/cases/${id}`;

/** The address of a file of rules. It is in the query: a server takes a path that ends with an extension for a file. */
export const ruleFileAddress = (file: string) => `/fraud/rules?${new URLSearchParams({ file }).toString()}`;

/** The address of a list of keys, with a node that reads it. It is in the query, as that of a file of rules. */
export const fraudListAddress = (list: string, node: string) =>
  `/fraud/lists?${new URLSearchParams({ list, node }).toString()}`;

/** The address of all that is stored about a key. */
export const subjectAddress = (key: string) => `/fraud/subject?${new URLSearchParams({ key }).toString()}`;
