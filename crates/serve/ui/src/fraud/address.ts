/** The address of a case. */
export const caseAddress = (id: number) => `/fraud/cases/${id}`;
