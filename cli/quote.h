/* Text as one word of another language. */
#ifndef DMASIM_CLI_QUOTE_H
#define DMASIM_CLI_QUOTE_H

#include <stdio.h>

void quote_xml(FILE *stream, const char *text);      /* of an attribute or an element */
void quote_csv(FILE *stream, const char *text);      /* quoted only where it must be */
void quote_yaml(FILE *stream, const char *text);     /* with its quotation marks */
void quote_shell(FILE *stream, const char *text);    /* with its quotation marks */
void quote_markdown(FILE *stream, const char *text); /* of a table's cell */

#endif
